// The module `k6/encoding`.
import { decode, encode, text } from 'weir:encoding';
export const b64encode = (input, variant = 'std') => encode(input, variant);
export function b64decode(input, variant = 'std', format = 'b') {
  const bytes = decode(input, variant);
  return format === 's' ? text(bytes) : bytes;
}
export default { b64encode, b64decode };
