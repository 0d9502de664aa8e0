{{/* The pod template of a group of agents: a list of the root and the group with its defaults. */}}
{{- define "benchd.agent" -}}
{{- $root := index . 0 -}}
{{- $group := index . 1 -}}
metadata:
  labels:
    {{- include "benchd.labels" (list $root "agent") | nindent 4 }}
    benchd/group: {{ $group.name }}
  annotations:
    # Moving an agent ends its part of a run.
    cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
    karpenter.sh/do-not-disrupt: "true"
spec:
  {{- include "benchd.pod" $root | nindent 2 }}
  # An agent that ends by a failure is started again in its pod, where its spool is, and delivers it.
  restartPolicy: OnFailure
  {{- if $group.hostNetwork }}
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  {{- end }}
  nodeSelector:
    {{- toYaml $group.nodeSelector | nindent 4 }}
  {{- with $group.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # One agent for each node: agents that share processors disturb each other.
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: benchd
              app.kubernetes.io/component: agent
  topologySpreadConstraints:
    - topologyKey: topology.kubernetes.io/zone
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "benchd.selector" (list $root "agent") | nindent 10 }}
  containers:
    - name: agent
      {{- include "benchd.container" $root | nindent 6 }}
      # The name stays the same when another pod takes over the index.
      args:
        - agent
        - --coordinator={{ include "benchd.coordinators" $root }}
        - --name={{ $group.name }}-$(INDEX)
        - --label=node=$(NODE_NAME)
        {{- range $key, $value := $group.labels }}
        - {{ printf "--label=%s=%s" $key $value | quote }}
        {{- end }}
        {{- range $group.allowTargets }}
        - {{ printf "--allow-target=%s" . | quote }}
        {{- end }}
        - --metrics-listen=0.0.0.0:{{ $group.metricsPort }}
        - --spool=/var/lib/benchd/spool
        # A Job counts a pod that ends with 0 as done, also when its node is drained: it would not be replaced.
        - --signal-exit-code=75
        - --tls-cert=/etc/benchd/tls/{{ $group.name }}-$(INDEX).crt
        - --tls-key=/etc/benchd/tls/{{ $group.name }}-$(INDEX).key
        - --tls-ca=/etc/benchd/tls/ca.crt
        - --tls-revoked=/etc/benchd/tls/revoked
        {{- range $group.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      env:
        - name: INDEX
          valueFrom:
            fieldRef:
              fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
        - name: NODE_NAME
          valueFrom:
            fieldRef:
              fieldPath: spec.nodeName
        {{- with $group.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: metrics
          containerPort: {{ $group.metricsPort }}
      livenessProbe:
        httpGet:
          path: /healthz
          port: metrics
          scheme: HTTPS
        initialDelaySeconds: 5
        periodSeconds: 10
        # A machine at its limit answers late, which the result of the run shows. A restart would end the run.
        timeoutSeconds: 10
        failureThreshold: 12
      readinessProbe:
        httpGet:
          path: /readyz
          port: metrics
          scheme: HTTPS
        periodSeconds: 5
        timeoutSeconds: 5
      # Requests equal limits, in whole processors: the pod is Guaranteed. With the static policy of the kubelet's CPU manager its
      # processors are exclusive.
      resources:
        requests:
          cpu: {{ $group.cpu }}
          memory: {{ $group.memory | quote }}
        limits:
          cpu: {{ $group.cpu }}
          memory: {{ $group.memory | quote }}
      volumeMounts:
        - name: spool
          mountPath: /var/lib/benchd
        - name: tmp
          mountPath: /tmp
        - name: tls
          mountPath: /etc/benchd/tls
          readOnly: true
        {{- with $group.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    # It outlives the containers of its pod.
    - name: spool
      emptyDir:
        sizeLimit: {{ $group.spoolSize | quote }}
    - name: tmp
      emptyDir:
        sizeLimit: 1Gi
    # A pod waits for its Secret, and follows its changes. Only the user of the image reads the files.
    - name: tls
      secret:
        secretName: {{ $group.tlsSecret | quote }}
        defaultMode: 0440
    {{- with $group.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
