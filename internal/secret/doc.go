// Package secret keeps passwords, tokens and keys out of everything that benchd stores or prints.
//
//  1. A property has a reference, never the secret: file:NAME, env:BENCHD_SECRET_NAME or credential:NAME. Parse checks the form.
//     Its errors do not repeat the text: it may be the secret itself.
//  2. A Resolver, which belongs to an agent, reads the secret. It reads only what the agent's operator has released: files in named
//     folders, variables with a prefix of their own, and the credentials of the systemd unit. So the author of a run cannot read any
//     other file or variable of the agent.
//  3. A Value holds the secret. Every way to print, log or encode it gives "(secret)"; only Reveal returns it.
package secret
