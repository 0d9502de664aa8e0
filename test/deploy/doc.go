// Package deploy checks the files of deploy/ and the release, with the tools and types of the systems that read them, without a
// container engine, a cluster or other machines:
//
//  1. the release is built twice, from different folders, and must be the same bytes (release); its bills of materials and its
//     provenance are compared with what is in it (attest), and its signature is verified (sign);
//  2. make vulncheck runs with a database of testdata (vulncheck);
//  3. units are checked by systemd-analyze (units), the compose file loaded by Compose's own loader (compose); the chart is rendered
//     by Helm's own engine (chart), its objects are validated by the schemas of Kubernetes's API server and of the Prometheus operator
//     (schemas), and compared with each other (kubernetes, monitoring);
//  4. the playbook changes a namespace of this machine, twice, and a systemd in it has to start what it installed (playbook);
//  5. the Dockerfile is parsed by BuildKit's parser, and its steps are executed one by one: those of the build stage over
//     this machine's file system, in place of the base image, those of the last stage in an empty folder. The result
//     runs as that user, read-only, with the command lines of the compose file and of the chart (image).
//
// It needs root, for namespaces of mounts and networks. Changes within them end with them.
package deploy
