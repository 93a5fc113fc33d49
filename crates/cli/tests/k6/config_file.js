// A configuration file stands below the script.
// args: -c $FOLDER/config.json
// writes: config.json {"vus": 3, "iterations": 3, "tags": {"of": "config"}}
// exit: 0
// stdout: 3 iterations shared among 3 VUs
// holds: iterations{of:config}.count == 3
export const options = { thresholds: { 'iterations{of:config}': ['count==3'] } };
export default function () {}
