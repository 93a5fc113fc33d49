// exit: 107
// stderr: syntax_error.js
export default function () { const; }
