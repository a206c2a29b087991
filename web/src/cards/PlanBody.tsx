/** The content of a plan: steps with reasons, tools, time and risks. */

import { Clock, TriangleAlert, Wrench } from 'lucide-react';

import { useI18n } from '../i18n';
import { toolTexts } from '../i18n/tools';
import { Markdown } from '../markdown/Markdown';
import type { Plan, PlanStep } from '../protocol/generated';

export function PlanBody({ plan }: { plan: Plan }) {
  const { t } = useI18n();
  const steps = Array.isArray(plan.steps) ? plan.steps : [];
  return (
    <div className="space-y-4">
      {/* Whoever says yes must have read all of it: steps that were found in a text are not all that it says. */}
      {plan.markdown && <Markdown text={withoutGoal(plan.markdown, plan.goal)} />}
      {!plan.markdown && steps.length > 0 && (
        <ol className="space-y-3">
          {steps.map((step, index) => (
            <Step key={index} step={step} number={index + 1} />
          ))}
        </ol>
      )}
      <Facts label={t('plan.all')} tools={plan.tools_needed} time={plan.estimated_time} />
      {(plan.risks?.length ?? 0) > 0 && (
        <div className="rounded-control border border-warning/40 px-3.5 py-2.5">
          <p className="flex items-center gap-2 text-small font-semibold text-warning">
            <TriangleAlert size={15} aria-hidden="true" />
            {t('plan.risks')}
          </p>
          <ul className="mt-1 list-disc ps-5">
            {plan.risks?.map((risk, index) => <li key={index}>{risk}</li>)}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Without the first heading if the card's title says it already. */
function withoutGoal(markdown: string, goal: string): string {
  const [, heading, rest] = /^\s*#{1,6}[ \t]+([^\n]*)\n?([\s\S]*)$/.exec(markdown) ?? [];
  return heading?.trim() === goal.trim() && rest?.trim() ? rest : markdown;
}

function Step({ step, number }: { step: PlanStep; number: number }) {
  return (
    <li className="flex gap-3">
      <span aria-hidden="true" className="mt-0.5 grid size-6 shrink-0 place-items-center rounded-full bg-raised text-small font-semibold text-muted tabular">
        {step.step_number || number}
      </span>
      <div className="min-w-0">
        <p className="font-medium">{step.action}</p>
        {step.reason && <p className="text-muted">{step.reason}</p>}
        <Facts tools={step.tools_needed} time={step.estimated_time} />
        {step.risks?.map((risk, index) => (
          <p key={index} className="mt-1 flex items-start gap-1.5 text-small text-warning">
            <TriangleAlert size={14} aria-hidden="true" className="mt-[3px] shrink-0" />
            {risk}
          </p>
        ))}
      </div>
    </li>
  );
}

function Facts({ label, tools, time }: { label?: string; tools: string[] | undefined; time: string | undefined }) {
  const i18n = useI18n();
  const { t } = i18n;
  if (!tools?.length && !time) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap items-center gap-1.5 text-small text-muted">
      {label && <li>{label}</li>}
      {tools?.map((tool) => (
        <li key={tool} className="inline-flex items-center gap-1.5 rounded-full bg-raised px-2.5 py-0.5" title={tool}>
          <Wrench size={12} aria-hidden="true" />
          {toolTexts(i18n, tool).act}
        </li>
      ))}
      {time && (
        <li className="inline-flex items-center gap-1.5 px-1 py-0.5">
          <Clock size={12} aria-hidden="true" />
          <span className="sr-only">{t('plan.time')}</span>
          {time}
        </li>
      )}
    </ul>
  );
}
