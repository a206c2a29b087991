import { ClipboardList } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { useI18n } from '../i18n';
import type { UserPrompt } from '../protocol/generated';
import { asSchema, beginning, problemsIn } from '../schema/schema';
import { SchemaForm } from '../schema/SchemaForm';
import { isAnything, useAnswerDraft } from '../state/answer_drafts';
import { Button } from '../ui/Button';
import { useAnswering, useArrivalFocus } from './answering';
import { Actions, Trouble } from './Card';
import { PromptFrame } from './PromptFrame';

/** A form made from a schema, answered as one object. */
export function FormCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useI18n();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId, prompt.schema);
  const schema = asSchema(prompt.schema);
  const [value, setValue] = useAnswerDraft(prompt.messageId, 'form', () => beginning(schema) ?? {}, isAnything);
  const [tried, setTried] = useState(false);
  const problems = problemsIn(schema, value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) void give({ response: value });
  };
  return (
    <PromptFrame ref={card} asked={prompt} icon={<ClipboardList size={18} />} busy={busy}>
      <form onSubmit={submit} noValidate className="space-y-4">
        <SchemaForm schema={schema} value={value} problems={tried ? problems : {}} disabled={busy} change={setValue} />
        <Trouble text={trouble} />
        <Actions>
          <Button type="submit" look="primary" disabled={busy}>
            {t('prompt.send')}
          </Button>
          <Button look="quiet" disabled={busy} onClick={() => void dismiss()}>
            {t('prompt.dismiss')}
          </Button>
        </Actions>
      </form>
    </PromptFrame>
  );
}
