/** A person's data: conversations of other chats come in, everything goes out (Y-5). */

import { Download, Upload } from 'lucide-react';
import { useRef, useState } from 'react';

import { useI18n } from '../i18n';
import { reasonFor } from '../i18n/reasons';
import { asRefusal, type Refusal } from '../net/http';
import { EXPORT_ALL, importFile, LEFT_OUT, type ImportReport } from '../net/imports';
import { refreshList } from '../state/list';
import { useParlor } from '../state/store';
import { Button } from '../ui/Button';

type State =
  | { is: 'idle' }
  | { is: 'running'; done: number; of: number }
  | { is: 'done'; report: ImportReport }
  | { is: 'failed'; why: Refusal };

export function YourData() {
  const i18n = useI18n();
  const { t } = i18n;
  const project = useParlor((state) => state.project);
  const picker = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<State>({ is: 'idle' });
  const take = async (file: File | undefined) => {
    if (!file || project === null) return;
    setState({ is: 'running', done: 0, of: 0 });
    try {
      const report = await importFile(file, project, (done, of) => setState({ is: 'running', done, of }));
      setState({ is: 'done', report });
      void refreshList();
    } catch (error) {
      setState({ is: 'failed', why: asRefusal(error) });
    }
  };
  return (
    <div className="space-y-3">
      <p className="text-small text-muted">{t('data.import_what')}</p>
      <div className="flex flex-wrap gap-2">
        <input
          ref={picker}
          type="file"
          accept=".zip,.json,application/zip,application/json"
          className="hidden"
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        <Button
          icon={<Upload size={16} aria-hidden="true" />}
          disabled={state.is === 'running'}
          onClick={() => picker.current?.click()}
        >
          {t('data.import')}
        </Button>
        <a href={EXPORT_ALL} download className="inline-flex min-h-9 items-center gap-2 rounded-control border border-line px-3 hover:bg-raised pointer-coarse:min-h-11">
          <Download size={16} aria-hidden="true" />
          {t('data.export')}
        </a>
      </div>
      <div role="status" className="text-small">
        {state.is === 'running' && (
          <p>{state.of === 0 ? t('data.reading') : t('data.running', { done: i18n.number(state.done), of: i18n.number(state.of) })}</p>
        )}
        {state.is === 'done' && <Report report={state.report} />}
      </div>
      {state.is === 'failed' && (
        <p role="alert" className="text-small text-critical">
          {state.why.code === 'malformed' ? t('data.unknown_file') : reasonFor(i18n, state.why)}
        </p>
      )}
    </div>
  );
}

/** What came in, and what did not. */
function Report({ report }: { report: ImportReport }) {
  const { t, number } = useI18n();
  const left = LEFT_OUT.filter((kind) => report.left_out[kind] > 0);
  return (
    <>
      <p className="font-medium">{t('data.imported', { count: number(report.imported) })}</p>
      {report.there_before > 0 && <p>{t('data.there_before', { count: number(report.there_before) })}</p>}
      {report.not_told > 0 && <p>{t('data.not_told', { count: number(report.not_told) })}</p>}
      {left.length > 0 && (
        <>
          <p className="mt-2 text-muted">{t('data.left_out')}</p>
          <ul className="list-disc ps-5 text-muted">
            {left.map((kind) => (
              <li key={kind}>{t(`data.left_out_${kind}`, { count: number(report.left_out[kind]) })}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
