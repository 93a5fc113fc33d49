// The module `k6/encoding`.
import { decode, encode, text } from 'weir:encoding';
export const b64encode = (input, variant) => encode(input, String(variant ?? 'std'));
export function b64decode(input, variant, format) {
  const bytes = decode(String(input), String(variant ?? 'std'));
  return format === 's' ? text(bytes) : bytes;
}
export default { b64encode, b64decode };
