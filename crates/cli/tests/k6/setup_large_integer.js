// A large integer is a number in what setup returned.
// exit: 0
// stderr: {\"a\":12,\"b\":[1]}
export function setup() {
  return { a: 12n, b: [1n] };
}

export default function (data) {
  console.log(JSON.stringify(data));
}
