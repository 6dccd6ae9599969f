{{/* One rule for each API group of a list of `RESOURCE[.GROUP][/VERSION]`. */}}
{{- define "forwarder.watchRules" -}}
{{- $groups := dict -}}
{{- range . -}}
{{- $parts := splitn "." 2 (regexReplaceAll "/.*$" . "") -}}
{{- $group := default "" $parts._1 -}}
{{- $_ := set $groups $group (append (default list (get $groups $group)) $parts._0) -}}
{{- end -}}
{{- range $group := keys $groups | sortAlpha }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ get $groups $group | uniq | sortAlpha | toJson }}
  verbs: [list, watch]
{{- end }}
{{- end -}}

{{/* What a forwarder of this source reads, and nothing else. */}}
{{- define "forwarder.rules" -}}
{{- $select := .Values.source.select -}}
{{- $names := .Values.rbac.resources -}}
{{- if eq .Values.source.type "its" -}}
{{- $names = list "workstatuses.control.kubestellar.io" "managedclusters.cluster.open-cluster-management.io" -}}
{{- else if eq .Values.source.type "inventory" -}}
{{- $names = list "managedclusters.cluster.open-cluster-management.io" -}}
{{- else if eq .Values.source.type "wds" -}}
{{- $names = concat $names (list "bindings.control.kubestellar.io" "bindingpolicies.control.kubestellar.io" "statuscollectors.control.kubestellar.io" "combinedstatuses.control.kubestellar.io" "customresourcedefinitions.apiextensions.k8s.io") -}}
{{- else if eq .Values.source.type "fleet" -}}
{{- $names = list "bundledeployments.fleet.cattle.io" "bundles.fleet.cattle.io" "clusters.fleet.cattle.io" "clustergroups.fleet.cattle.io" "gitrepos.fleet.cattle.io" "helmops.fleet.cattle.io" "jobs.batch" -}}
{{- else if $select.resources -}}
{{- $names = $select.resources -}}
{{- else if $select.appliedManifestWorks -}}
{{- $names = append $names "appliedmanifestworks.work.open-cluster-management.io" -}}
{{- else -}}
{{- /* New resources are noticed by their definitions. */ -}}
{{- $names = append $names "customresourcedefinitions.apiextensions.k8s.io" -}}
{{- end -}}
{{- include "forwarder.watchRules" $names -}}
{{- with .Values.rbac.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}
