// Types go, and what TypeScript adds to JavaScript is written anew, each line where it was.
// exit: 0
// stderr: 0 one 3 7 x
// stderr: 1 2 3 5 4
// stderr: typescript.ts:54:
import { check, type Checkers } from 'k6';
import type { Options } from 'k6/options';
import http, { RefinedResponse } from 'k6/http';

enum Level { low, one = 'one'.length, high = low + 7 }
enum Level { merged = 1 << 3 }
const enum Word { x = 'x' }

namespace Shapes {
  export interface Shape { area(): number }
  export const unit = 1;
  const hidden = unit + 1;
  export let counter = hidden;
  export function next(): number {
    counter++;
    return counter;
  }
  export class Square implements Shape {
    constructor(public readonly side: number, private scale = 1) {}
    area(): number { return this.side * this.scale; }
  }
  export namespace Deep.Deeper {
    export const value = 4 as const;
  }
}

function overloaded(value: string): string;
function overloaded(value: number): number;
function overloaded(value: any) { return value; }
namespace overloaded {
  export const extra = 5;
}

abstract class Base<T> {
  declare ghost: T;
  protected constructor(protected value?: T) {}
  abstract get(): T | undefined;
}
class Derived extends Base<number> {
  constructor() { super(5); }
  override get() { return this.value!; }
}
export const options = { iterations: 1 } satisfies Options;
const identity = <T,>(value: T): value is T => true as any;
export default function (): void {
  console.log(Level.low, Level[3] === 'one' ? 'one' : '', Level.one, Level.high, Word.x);
  console.log(Shapes.unit, Shapes.counter, Shapes.next(), overloaded.extra, Shapes.Deep.Deeper.value);
  const response: RefinedResponse<any> | null = null;
  (identity(response) as unknown as { call(): void }).call();
}
