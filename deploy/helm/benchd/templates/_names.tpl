{{/* The prefix of all names: that of the release, with the chart's name unless it has it already. */}}
{{- define "benchd.name" -}}
{{- if contains "benchd" .Release.Name }}{{ .Release.Name | trunc 26 | trimSuffix "-" }}{{ else }}{{ printf "%s-benchd" (.Release.Name | trunc 19 | trimSuffix "-") }}{{ end }}
{{- end }}

{{/* Labels by which Services, policies and controllers select pods: a list of the root and the component. */}}
{{- define "benchd.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: benchd
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels of all objects: a list of the root and the component. */}}
{{- define "benchd.labels" -}}
{{- $root := index . 0 -}}
{{ include "benchd.selector" . }}
app.kubernetes.io/part-of: benchd
app.kubernetes.io/version: {{ $root.Values.image.tag | default $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{- define "benchd.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The addresses of coordinators for agents. */}}
{{- define "benchd.coordinators" -}}
{{- $name := printf "%s-coordinator" (include "benchd.name" .) -}}
{{- if eq (int .Values.coordinator.replicas) 1 -}}
{{ $name }}:7070
{{- else -}}
{{- range $i := until (int .Values.coordinator.replicas) }}{{ if $i }},{{ end }}{{ $name }}-{{ $i }}.{{ $name }}-pods.{{ $.Release.Namespace }}.svc:7070{{ end }}
{{- end }}
{{- end }}

{{/* What all pods have: their user, and no rights. */}}
{{- define "benchd.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 15
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/* What all containers have. */}}
{{- define "benchd.container" -}}
image: {{ include "benchd.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
