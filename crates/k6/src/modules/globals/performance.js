// The global `performance`: made when a script first asks for it.
(native) => {
  const timeOrigin = Date.now() - native.nowMs();
  return { performance: { timeOrigin, now: () => native.nowMs(), toJSON: () => ({ timeOrigin }) } };
}
