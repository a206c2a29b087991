/** The cards of prompts, as one chunk that is loaded when the first one is needed or the page is idle. */

export { MessageCard } from './MessageCard';
export { ClosedCard } from './ClosedCard';
export { PromptCard } from './PromptCard';
