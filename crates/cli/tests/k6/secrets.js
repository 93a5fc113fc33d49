// args: --secret-source=mock=default,token=a-hidden-word --secret-source=mock=name=other,token=another-word
// exit: 0
// stderr: it is ***SECRET_REDACTED*** of 13 letters
// stderr: { token: \"***SECRET_REDACTED***\" }
// stderr: boom ***SECRET_REDACTED***
// stderr: none: no value
// stderr: no source: no secret source with name \"third\" is configured
// no-stderr: a-hidden-word
// no-stderr: another-word
// no-stdout: a-hidden-word
// No line of the log shows a secret, whoever writes it.
import secrets from 'k6/secrets';

export default async function () {
  const token = await secrets.get('token');
  const other = await secrets.source('other').get('token');
  console.log(`it is ${token} of ${token.length} letters`);
  console.warn({ token: other });
  await secrets.get('nothing').catch((said) => console.log(`none: ${said}`));
  await secrets.source('third').get('token').catch((said) => console.log(`no source: ${said}`));
  throw new Error(`boom ${token}`);
}
