// args: --secret-source=vault=x
// exit: 255
// stderr: no secret source for type \"vault\" for configuration \"vault=x\"
// A kind of source that there is not is said before anything runs.
export default function () {}
