// The module `k6/experimental/webcrypto`: the global of that name.
export const { crypto } = globalThis;
export default { crypto };
