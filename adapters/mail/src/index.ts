export { parseSender, type Sender } from './sender.ts';
export { type SmtpMailerOptions, smtpMailer } from './smtp-mailer.ts';
export { parseSmtpServer, type SmtpServer } from './smtp-server.ts';
