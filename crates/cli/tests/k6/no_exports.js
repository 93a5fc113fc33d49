// exit: 255
// stderr: no exported functions in script
const nothing = 1;
