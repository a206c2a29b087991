import type { Look } from '../net/api';
import { ServerImage } from './ServerImage';

/** The mark: a doorway in a speech bubble. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      <path d="M5 2h14a3 3 0 0 1 3 3v11a3 3 0 0 1-3 3h-7l-5 4v-4H5a3 3 0 0 1-3-3V5a3 3 0 0 1 3-3Z" className="fill-accent" />
      <path d="M8.5 15.5V10a3.5 3.5 0 0 1 7 0v5.5Z" className="fill-page" />
    </svg>
  );
}

/** The logo of a project, or the mark. Its name stands beside it. */
export function ProjectLogo({ look, size }: { look: Look | undefined; size?: number }) {
  if (look?.logo === undefined) return <Logo {...(size === undefined ? {} : { size })} />;
  return <ServerImage src={look.logo} alt="" height={size ?? 22} className="w-auto max-w-[10rem] object-contain" style={{ height: size ?? 22 }} />;
}
