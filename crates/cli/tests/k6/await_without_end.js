// exit: 107
// stderr: a module's top-level await
await new Promise(() => {});

export default function () {}
