// exit: 0
// stderr: There were unknown fields in the options exported in the script
export const options = { vuss: 1 };
export default function () {}
