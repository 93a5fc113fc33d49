// exit: 107
// stderr: nowhere.js
import './nowhere.js';
export default function () {}
