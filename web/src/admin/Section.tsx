/** A part of the page of administrators. */

import type { ReactNode } from 'react';

export function Section({ title, empty, children }: { title: string; empty: string | null; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-3 text-title font-semibold">{title}</h2>
      {empty === null ? children : <p className="text-muted">{empty}</p>}
    </section>
  );
}
