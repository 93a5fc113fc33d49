// A module that is required is the object that is imported, so that libraries can put their own functions in its place.
// exit: 0
// stderr: true of a library
import http from 'k6/http';

const required = require('k6/http');
required.get = () => 'of a library';

export default function () {
  console.log(`${required === http} ${http.get()}`);
}
