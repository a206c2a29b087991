/** Code that stands alone: highlighted, or drawn if it is a diagram. */

import { lazy, memo, Suspense } from 'react';

import { CodeBlock } from './CodeBlock';

const Diagram = lazy(() => import('./Diagram').then((module) => ({ default: module.Diagram })));

interface Props {
  code: string;
  language: string;
  /** Whether it is still written. */
  open?: boolean;
}

export const Fenced = memo(function Fenced({ code, language, open = false }: Props) {
  const plain = <CodeBlock code={code} language={language} />;
  if (language.toLowerCase() !== 'mermaid' || open || code.trim() === '') return plain;
  return (
    <Suspense fallback={plain}>
      <Diagram source={code} />
    </Suspense>
  );
});
