{{/* One rule with `verbs` for each API group of `names`, a list of `RESOURCE[.GROUP]`; `suffix` follows each resource. */}}
{{- define "starfold.groupRules" -}}
{{- $groups := dict -}}
{{- $suffix := .suffix -}}
{{- range .names -}}
{{- $parts := splitn "." 2 . -}}
{{- $group := default "" $parts._1 -}}
{{- $_ := set $groups $group (append (default list (get $groups $group)) (printf "%s%s" $parts._0 $suffix)) -}}
{{- end -}}
{{- $verbs := toJson .verbs -}}
{{- range $group := keys $groups | sortAlpha }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ get $groups $group | uniq | sortAlpha | toJson }}
  verbs: {{ $verbs }}
{{- end }}
{{- end -}}

{{/* What is read in the WDS: the same as a forwarder of a WDS reads. */}}
{{- define "starfold.readerRules" -}}
{{- $own := list "bindings.control.kubestellar.io" "bindingpolicies.control.kubestellar.io" "statuscollectors.control.kubestellar.io" "combinedstatuses.control.kubestellar.io" "customresourcedefinitions.apiextensions.k8s.io" -}}
{{- if include "starfold.readsInventory" . -}}
{{- $own = append $own "managedclusters.cluster.open-cluster-management.io" -}}
{{- end -}}
{{- include "starfold.groupRules" (dict "names" (concat .Values.rbac.resources $own) "suffix" "" "verbs" (list "list" "watch")) -}}
{{- with .Values.rbac.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What is written in the WDS: the same as infra/rbac/writer.yaml allows. */}}
{{- define "starfold.writerRules" -}}
{{- $group := list "control.kubestellar.io" | toJson }}
- apiGroups: {{ $group }}
  resources: [combinedstatuses]
  verbs: [get, create, update, delete]
- apiGroups: {{ $group }}
  resources: [bindings, bindingpolicies, statuscollectors]
  verbs: [get]
- apiGroups: {{ $group }}
  resources: [bindings/status, bindingpolicies/status, statuscollectors/status]
  verbs: [patch]
{{- if .Values.resolveBindings }}
- apiGroups: {{ $group }}
  resources: [bindings]
  verbs: [create, update, delete]
{{- end }}
# CombinedStatuses of objects without a namespace stand in kubestellar-report, which is made if it is missing.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get, create]
{{- /* A Namespace is read, and its status is Kubernetes' own. A Workflow has no status subresource. */ -}}
{{- $written := without (.Values.rbac.resources | uniq) "namespaces" -}}
{{- include "starfold.groupRules" (dict "names" $written "suffix" "" "verbs" (list "get" "patch")) -}}
{{- include "starfold.groupRules" (dict "names" (without $written "workflows.argoproj.io") "suffix" "/status" "verbs" (list "patch")) -}}
{{- end -}}
