// exit: 107
// stderr: k6/experimental/redis is k6/x/redis by now
// A module of another name by now says which.
import redis from 'k6/experimental/redis';
export default function () { console.log(redis); }
