/** The cards that ask something. They come when the first of them is needed, or when the page has time. */

export { MessageCard } from './MessageCard';
export { PromptCard } from './PromptCard';
