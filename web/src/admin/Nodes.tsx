/** The servers that share the database, and whether they hear each other. */

import { useI18n } from '../i18n';
import type { NodeStatus, NodesStatus } from '../net/api';
import { Section } from './Section';

export function Nodes({ status }: { status: NodesStatus }) {
  const { t } = useI18n();
  const cell = 'px-4 py-2 text-start align-top';
  return (
    <Section title={t('admin.nodes')} empty={null}>
      <p className={status.heard ? 'mb-3 text-muted' : 'mb-3 font-medium text-warning'} role={status.heard ? undefined : 'status'}>
        {t(status.heard ? 'admin.nodes.heard' : 'admin.nodes.not_heard', { channel: status.channel === 'redis' ? 'Redis' : 'PostgreSQL' })}
        {status.problem && <span className="block font-normal">{status.problem}</span>}
      </p>
      <div className="overflow-x-auto rounded-card border border-line bg-surface" tabIndex={0} role="group" aria-label={t('admin.nodes')}>
        <table className="w-full text-small [overflow-wrap:break-word]">
          <thead className="border-b border-line text-muted">
            <tr>
              {(['admin.node', 'admin.node.state', 'admin.node.turns', 'admin.node.version'] as const).map((key) => (
                <th key={key} scope="col" className={`${cell} font-medium`}>{t(key)}</th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {status.nodes.map((node, index) => (
              <tr key={index}>
                <th scope="row" className={`${cell} font-medium`}>
                  {node.name}
                  {node.this && <span className="font-normal text-muted"> · {t('admin.node.this')}</span>}
                </th>
                <td className={cell}><State node={node} /></td>
                <td className={cell}>{node.turns}</td>
                <td className={cell}>{node.version}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function State({ node }: { node: NodeStatus }) {
  const { t, ago } = useI18n();
  const now = Date.now();
  if (!node.alive) return <span className="text-muted">{t('admin.node.gone', { when: ago(node.beat_at, now) })}</span>;
  return <span className="text-success">{t('admin.node.runs', { when: ago(node.started_at, now) })}</span>;
}
