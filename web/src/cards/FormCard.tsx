import { ClipboardList } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import type { UserPrompt } from '../protocol/generated';
import { asSchema, beginning, problemsIn } from '../schema/schema';
import { SchemaForm } from '../schema/SchemaForm';
import { Button } from '../ui/Button';
import { useWords } from '../words';
import { Actions, Card, Trouble } from './Card';
import { Countdown } from './Countdown';
import { useAnswering, useArrivalFocus } from './answering';
import { severityWord, toneOf } from './severity';

/** A form made from a schema, answered as one object. */
export function FormCard({ prompt }: { prompt: UserPrompt }) {
  const words = useWords();
  const { t } = words;
  const card = useArrivalFocus<HTMLElement>();
  const { busy, trouble, give, dismiss } = useAnswering(prompt.messageId);
  const schema = asSchema(prompt.schema);
  const [value, setValue] = useState<unknown>(() => beginning(schema) ?? {});
  const [tried, setTried] = useState(false);
  const problems = problemsIn(schema, value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) void give({ response: value });
  };
  return (
    <Card
      ref={card}
      tone={toneOf(prompt.severity)}
      icon={<ClipboardList size={18} />}
      title={prompt.question}
      badge={severityWord(words, prompt.severity)}
      aside={prompt.expires_at !== undefined && <Countdown prompt={prompt.messageId} expiresAt={prompt.expires_at} />}
      busy={busy}
    >
      {prompt.context && <p className="text-muted">{prompt.context}</p>}
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
    </Card>
  );
}
