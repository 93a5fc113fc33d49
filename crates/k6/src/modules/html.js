// The module `k6/html`.
import { Element, parseHTML, Selection } from 'weir:markup';
export { Element, parseHTML, Selection };
export default { Element, parseHTML, Selection };
