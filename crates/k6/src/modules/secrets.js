// The module `k6/secrets`, which has a default export alone. What can't be had is thrown as a text, as k6 has it.
import { find } from 'weir:secrets';

const get = (name) => async (key) => {
  const [value, said] = find(name, String(key));
  if (said !== undefined) throw said;
  return value;
};
export default {
  get: get(null),
  source: (name) => ({ get: get(String(name ?? '')) }),
};
