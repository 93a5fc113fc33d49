// args: -c $FOLDER/none.json
// exit: 104
// stderr: none.json
export default function () {}
