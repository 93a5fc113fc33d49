// The module `k6`.
import { check, fail, group, randomSeed, sleep } from 'weir:core';
export { check, fail, group, randomSeed, sleep };
export default { check, fail, group, randomSeed, sleep };
