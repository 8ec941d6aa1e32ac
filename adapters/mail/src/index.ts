export { type SmtpMailerOptions, smtpMailer } from './smtp-mailer.ts';
export { parseSender, parseSmtpServer, type Sender, type SmtpServer } from './smtp-server.ts';
