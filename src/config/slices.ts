import type { FirstStartConfig } from '../app/appliance/first-start.ts';
import type { DoctorConfig } from '../app/appliance/parts.ts';
import type { Clock } from '../domain/clock.ts';
import type { SigningKeysConfig } from '../machinery/signing-key.ts';
import type { TlsFiles } from '../machinery/tls.ts';
import type { HttpServerConfig } from '../port/server.ts';
import type { Settings } from './settings.ts';

export function toFirstStart({ dataFolder, admin }: Settings): FirstStartConfig {
  return {
    dataFolder,
    adminEmail: admin.email,
    adminPassword: admin.password?.reveal() ?? null,
    adminApiKey: admin.apiKey?.reveal() ?? null,
    rateLimitPerMinute: admin.rateLimitPerMinute,
  };
}

export function toSigningKeys({ dataFolder, evidence }: Settings, clock: Clock): SigningKeysConfig {
  const givenPem = evidence.signingKey?.reveal() ?? null;
  return { folder: dataFolder, givenPem, now: () => clock.now() };
}

export function secretsOf({ admin, mail, tracing, evidence, nats }: Settings): string[] {
  const { signingKey } = evidence;
  const secrets = [
    admin.password,
    admin.apiKey,
    mail.smtpUrl,
    tracing?.authorization,
    signingKey,
    nats?.nkeySeed,
  ];
  // Refusals of a mail server are logged with its host.
  const mailHost = URL.parse(mail.smtpUrl?.reveal() ?? '')?.hostname ?? [];
  return secrets.flatMap((secret) => secret?.reveal() ?? []).concat(mailHost);
}

export function toHttp(settings: Settings, tls: TlsFiles | null): HttpServerConfig {
  const { listen, allowedHosts, connectionsMax, behindProxy, trustedProxies } = settings.http;
  const { publicUrl } = settings.app;
  return { ...listen, publicUrl, allowedHosts, connectionsMax, behindProxy, trustedProxies, tls };
}

export function toDoctorConfig({ engine, app }: Settings, tls: TlsFiles | null): DoctorConfig {
  const { inference, decode } = engine;
  const { diskFreeBytesMin } = app;
  const { providers } = inference;
  return { tls, diskFreeBytesMin, decode, providers, listeners: [] };
}
