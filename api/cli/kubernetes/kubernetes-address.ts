/**
 * The Kubernetes API that a command talks to: by its options, else by the environment, else that of the pod in which it runs. Files of kubeconfig are
 * not read: `kubectl proxy` makes any of them available.
 */
import { type Command, Option } from 'commander';
import { checkRemoteUrl, fileText, usageError } from '../remote-address.ts';

export interface KubernetesOptions {
  server?: string;
  serverCa?: string;
  tokenFile?: string;
}

export interface KubernetesAddress {
  /** Without a slash at its end. */
  url: string;
  /** Read for each request: Kubernetes replaces the token of a pod each hour. Undefined: none is sent. */
  token: () => string | undefined;
  /** Certificates to trust in addition to the system's, as PEM. */
  ca: string | undefined;
}

/** Adds the options that choose a cluster. The token is no option: others on this host can read the arguments of a process. */
export const addressingKubernetes = (command: Command): Command =>
  command
    .addOption(new Option('--server <url>', 'URL of the Kubernetes API (KUBERNETES_URL); in a pod that of its cluster'))
    .addOption(new Option('--server-ca <file>', 'certificates to trust for it, as PEM (KUBERNETES_CA)'))
    .addOption(new Option('--token-file <file>', 'file with its token; without it KUBERNETES_TOKEN is used'));

const POD_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const isLocal = (url: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);

/** @param folder of the service account in a pod @throws CommandError */
export function kubernetesAddressOf(options: KubernetesOptions, folder = POD_FOLDER): KubernetesAddress {
  const { KUBERNETES_URL, KUBERNETES_TOKEN, KUBERNETES_CA, KUBERNETES_SERVICE_HOST: host } = process.env;
  const chosen = options.server || KUBERNETES_URL;
  const isPod = !chosen && Boolean(host);
  const text = isPod ? podUrl(host ?? '') : (chosen ?? '');
  checkRemoteUrl(text, 'Kubernetes', '--server https://... or KUBERNETES_URL, or a pod');
  const url = new URL(text);
  const tokenFile = options.tokenFile ?? (isPod ? `${folder}/token` : undefined);
  const token =
    tokenFile === undefined ? () => checkedToken(KUBERNETES_TOKEN) : () => checkedToken(fileText(tokenFile));
  const isBare = token() === undefined;
  if (url.protocol === 'http:' && !isLocal(url))
    throw usageError(`found the URL ${url.origin} of Kubernetes; expected https://, because a token is sent`);
  if (isBare && !isLocal(url))
    throw usageError('found no token of Kubernetes; expected one in KUBERNETES_TOKEN, or in the file of --token-file');
  const ca = options.serverCa || KUBERNETES_CA || (isPod ? `${folder}/ca.crt` : undefined);
  return { url: text.replace(/\/+$/, ''), token, ca: ca === undefined ? undefined : fileText(ca) };
}

function podUrl(host: string): string {
  const { KUBERNETES_SERVICE_PORT = '443' } = process.env;
  return `https://${host.includes(':') ? `[${host}]` : host}:${KUBERNETES_SERVICE_PORT}`;
}

function checkedToken(text: string | undefined): string | undefined {
  const token = text?.trim() ?? '';
  if (token === '') return undefined;
  // Printable characters without spaces: others could not be sent in a header.
  if (/^[\x21-\x7e]{1,10000}$/.test(token)) return token;
  throw usageError('found a token of Kubernetes that is longer than 10000 characters, or not of printable ones');
}
