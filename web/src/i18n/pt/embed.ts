/** O que lê um visitante de um site que incorpora o chat, em português. */

import type { embed as en } from '../en/embed';

export const embed: Record<keyof typeof en, string> = {
  'embed.chat': 'Chat',
  'embed.close': 'Fechar o chat',
  'embed.earlier': 'Conversas anteriores',
  'embed.log_out': 'Sair do chat',
  'embed.entering': 'Um momento …',
  'embed.refused': 'O chat não pode ser aberto nesta página agora.',
  'embed.out': 'Você saiu do chat.',
  'embed.again': 'Abrir de novo',
  'embed.alone': 'Este chat é feito para páginas de outros sites. Abra-o lá.',
};
