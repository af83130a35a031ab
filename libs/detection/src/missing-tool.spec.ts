import { describe, expect, it } from 'vitest';
import { missingTool } from './missing-tool.ts';

describe('missingTool', () => {
  it.each([
    ['Unknown tool: fetch_page', 'fetch_page'],
    ['unknown tool fetch_page', 'fetch_page'],
    ["UNKNOWN TOOL :: 'Fetch.Page-2'", 'fetch.page-2'],
    ['Error: unknown tool:\n"x" is wrong', 'x'],
    ['Unknown tool: fetch_page.', 'fetch_page.'],
    ['Tool fetch_page not found', 'fetch_page'],
    ['the tool "x" is not available here', 'x'],
    ["Tool 'x'  not found", 'x'],
    ['tool a not found, unknown tool: b', 'b'],
    ['{"message":"Unknown tool: x"}', 'x'],
  ])('reads the name out of %j', (text, name) => {
    expect(missingTool(text)).toBe(name);
  });

  it.each([
    'Unknown tools: x',
    'unknown tool=x',
    'no such tool x',
    'tool x was not found',
    'unknown tool: `x`',
    'Tool `x` not found',
    'tool x is not found',
    'unknown  tool: x',
    'file not found',
    '',
  ])('does not recognise %j', (text) => {
    expect(missingTool(text)).toBeNull();
  });

  it('bounds name and search', () => {
    expect(missingTool(`unknown tool: ${'n'.repeat(1000)}`)).toBe('n'.repeat(256));
    expect(missingTool(`${' '.repeat(70_000)}unknown tool: x`)).toBeNull();
  });

  it.each([
    `unknown tool${':'.repeat(65_000)}`,
    `tool${' '.repeat(65_000)}`,
    'tool '.repeat(13_000),
    `tool ${'a'.repeat(256)} `.repeat(250),
  ])('takes linear time on hostile text %#', (text) => {
    const started = performance.now();
    expect(missingTool(text)).toBeNull();
    expect(performance.now() - started).toBeLessThan(200);
  });
});
