/** What a visitor of a site that embeds the chat reads, in English. */

export const embed = {
  'embed.chat': 'Chat',
  'embed.close': 'Close the chat',
  'embed.earlier': 'Earlier conversations',
  'embed.log_out': 'Log out of the chat',
  'embed.entering': 'One moment …',
  'embed.refused': 'The chat cannot be opened from this page right now.',
  'embed.out': 'You are logged out of the chat.',
  'embed.again': 'Open it again',
  'embed.alone': 'This chat is made for pages of other sites. Open it there.',
};
