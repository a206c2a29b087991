import { ClipboardList } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import type { UserPrompt } from '../protocol/generated';
import { asSchema, beginning, problemsIn } from '../schema/schema';
import { SchemaForm } from '../schema/SchemaForm';
import { isAnything, useHalfAnswer } from '../state/half_answers';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { AskingCard } from './AskingCard';
import { Actions, Trouble } from './Card';
import { useAnswering, useArrivalFocus } from './answering';

/** A form made from a schema, answered as one object. */
export function FormCard({ prompt }: { prompt: UserPrompt }) {
  const { t } = useWords();
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId, prompt.schema);
  const schema = asSchema(prompt.schema);
  const [value, setValue] = useHalfAnswer(prompt.messageId, 'form', () => beginning(schema) ?? {}, isAnything);
  const [tried, setTried] = useState(false);
  const problems = problemsIn(schema, value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) void give({ response: value });
  };
  return (
    <AskingCard ref={card} asked={prompt} icon={<ClipboardList size={18} />} busy={busy}>
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
    </AskingCard>
  );
}
