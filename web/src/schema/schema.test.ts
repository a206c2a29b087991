import { describe, expect, it } from 'vitest';

import { child, touchesMask, valueAt, withValueAt } from './pointer';
import { beginning, choicesOf, kindOf, problemsIn, type Schema, schemaOf } from './schema';

describe('pointers', () => {
  const value = { a: [{ 'x/y': 1 }, { b: 2 }], 'm~n': 3 };

  it('lead to a value and change it without touching the rest', () => {
    expect(valueAt(value, '/a/0/x~1y')).toBe(1);
    expect(valueAt(value, child('', 'm~n'))).toBe(3);
    const changed = withValueAt(value, '/a/1/b', 9);
    expect(changed).toEqual({ a: [{ 'x/y': 1 }, { b: 9 }], 'm~n': 3 });
    expect(value.a[1]).toEqual({ b: 2 });
    expect(withValueAt(value, '/m~0n', undefined)).toEqual({ a: value.a });
    expect(withValueAt({}, '/new/deep', 1)).toEqual({ new: { deep: 1 } });
  });

  it('know what is masked below them', () => {
    expect(touchesMask(['/a/0/key'], '/a')).toBe(true);
    expect(touchesMask(['/a/0/key'], '/a/0/key')).toBe(true);
    expect(touchesMask(['/ab'], '/a')).toBe(false);
  });
});

describe('schemas', () => {
  const schema: Schema = {
    type: 'object',
    required: ['name', 'age'],
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      note: { type: ['string', 'null'] },
      kind: { oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      news: { type: 'boolean', default: true },
    },
  };

  it('say which field each is', () => {
    const kinds = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, kindOf(one)]));
    expect(kinds).toEqual({ name: 'text', age: 'number', note: 'text', kind: 'choice', tags: 'array', news: 'boolean' });
    expect(kindOf({})).toBe('json');
    expect(choicesOf(schema.properties!['kind']!)).toEqual([{ value: 'a', label: 'First' }, { value: 'b', label: 'b' }]);
    expect(choicesOf({ enum: [1, 2], enumNames: ['one'] })).toEqual([{ value: 1, label: 'one' }, { value: 2, label: '2' }]);
  });

  it('begin with their defaults', () => {
    expect(beginning(schema)).toEqual({ tags: [], news: true });
  });

  it('find what does not fit, where it is', () => {
    expect(problemsIn(schema, {})).toEqual({ '/name': 'missing', '/age': 'missing' });
    expect(problemsIn(schema, { name: 'a', age: 1.5, tags: [] })).toEqual({ '/name': 'too_short', '/age': 'number', '/tags': 'missing' });
    expect(problemsIn(schema, { name: 'abcdef', age: 200 })).toEqual({ '/name': 'too_long', '/age': 'too_large' });
    expect(problemsIn(schema, { name: 'ABC', age: -1, tags: [''] })).toEqual({ '/name': 'pattern', '/age': 'too_small', '/tags/0': 'missing' });
    expect(problemsIn(schema, { name: 'abc', age: 3, tags: ['x'] })).toEqual({});
  });

  it('are guessed where there are none', () => {
    expect(schemaOf({ a: 1, b: 'x', c: [{ d: true }], e: null })).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'array', items: { type: 'object', properties: { d: { type: 'boolean' } } } }, e: {} },
    });
  });
});
