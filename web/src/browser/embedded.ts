/** Whether the page is a frame inside a page of another site (U-12), and of which project. */

export interface Embedding {
  tenant: string;
  project: string;
}

const PATH = /^\/embed\/([\w-]+)\/([\w-]+)\/?$/;

export function embeddingAt(path: string): Embedding | null {
  const [, tenant, project] = PATH.exec(path) ?? [];
  return tenant !== undefined && project !== undefined ? { tenant, project } : null;
}

export const EMBEDDING = embeddingAt(globalThis.window?.location.pathname ?? '');

/** The origins of the sites that may show this page, as the server says. */
export function allowedOrigins(): string[] {
  const told = document.querySelector('meta[name="parlor-embed"]')?.getAttribute('content') ?? '';
  return told.split(' ').filter((origin) => origin !== '');
}
