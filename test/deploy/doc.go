// Package deploy checks what puts benchd on machines, with the tools and types of those who will read it, and without a
// container engine, a cluster or other machines:
//
//  1. the release is built twice, from different folders, and must be the same bytes (release);
//  2. units are judged by systemd-analyze (units), manifests decoded into Kubernetes's types, nothing unknown allowed
//     (kubernetes), the compose file loaded by Compose's own loader (compose);
//  3. the playbook changes a namespace of this machine, twice, and what it put there has to work (playbook);
//  4. the Dockerfile is parsed by BuildKit's parser, and its steps are executed one by one: those of the build stage over
//     this machine's file system, which takes the place of the base image, those of the last stage in an empty folder. What
//     comes out is run as that user, read-only, with the command lines of the compose file and of the manifests (image).
//
// It takes root, for namespaces of mounts and networks. What is changed in them is gone with them.
package deploy
