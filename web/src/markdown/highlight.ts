/**
 * Syntax highlighting. The highlighter and each language are loaded on first use.
 * Tokens become classes, never styles: the content security policy forbids them.
 */

import type { GrammarState, HighlighterCore, ThemedToken } from 'shiki/core';

export interface Token {
  text: string;
  kind: string | null;
}

type Load = () => Promise<{ default: unknown }>;

const LANGUAGES: Record<string, Load> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Record<string, string> = {
  sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', js: 'javascript', mjs: 'javascript', jsx: 'tsx',
  ts: 'typescript', py: 'python', rs: 'rust', yml: 'yaml', dockerfile: 'docker', golang: 'go', jsonc: 'json', xml: 'html',
};

/** Lines longer than this are not highlighted: one alone could take too long. */
const LONGEST_LINE = 1_000;
/** The rest of a line that takes longer stays plain, in milliseconds; so long that compiling a grammar is no reason. */
const LONGEST_TIME = 1_500;

let highlighter: Promise<HighlighterCore> | null = null;
const loaded = new Set<string>();

/** Highlights code in parts, each from where the part before it ended. */
export interface Colourist {
  colour(part: string, from: GrammarState | undefined): { lines: Token[][]; end: GrammarState | undefined };
}

/** The colourist of a language; `null` if there is none. */
export async function colouristOf(name: string): Promise<Colourist | null> {
  const language = ALIASES[name.toLowerCase()] ?? name.toLowerCase();
  const load = LANGUAGES[language];
  if (!load) return null;
  highlighter ??= start();
  const shiki = await highlighter;
  if (!loaded.has(language)) {
    const { default: grammar } = await load();
    await shiki.loadLanguage(grammar as Parameters<HighlighterCore['loadLanguage']>[0]);
    loaded.add(language);
  }
  return {
    colour(part, from) {
      const options = { lang: language, theme: 'variables', tokenizeMaxLineLength: LONGEST_LINE, tokenizeTimeLimit: LONGEST_TIME };
      const { tokens, grammarState } = shiki.codeToTokens(part, from ? { ...options, grammarState: from } : options);
      return { lines: tokens.map((line) => line.map(tokenOf)), end: grammarState };
    },
  };
}

async function start(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] =
    await Promise.all([import('shiki/core'), import('shiki/engine/javascript')]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'variables', variablePrefix: '--', fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

const KINDS: Record<string, string> = {
  'token-keyword': 'keyword',
  'token-string': 'string',
  'token-string-expression': 'string',
  'token-constant': 'number',
  'token-function': 'function',
  'token-comment': 'comment',
  'token-link': 'link',
  'token-inserted': 'string',
  'token-deleted': 'keyword',
};

/** The theme gives `var(--token-keyword)` as a colour; we take its name. */
function tokenOf(token: ThemedToken): Token {
  const name = /^var\(--([\w-]+)\)$/.exec(token.color ?? '')?.[1] ?? '';
  return { text: token.content, kind: KINDS[name] ?? null };
}
