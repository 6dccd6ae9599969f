// Times KubeStellar's resolver of CombinedStatuses. test/bench/peers.bench.ts lays this file beside the resolver's sources
// while it is compiled, because the resolver needs an evaluator that only its package can make.
package status

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"

	"github.com/kubestellar/kubestellar/api/control/v1alpha1"
	"github.com/kubestellar/kubestellar/pkg/abstract"
	"github.com/kubestellar/kubestellar/pkg/binding"
	"github.com/kubestellar/kubestellar/pkg/util"
)

type peerInput struct {
	Resource     string                                  `json:"resource"`
	Object       *unstructured.Unstructured              `json:"object"`
	WorkStatuses []*unstructured.Unstructured            `json:"workStatuses"`
	Collectors   map[string]v1alpha1.StatusCollectorSpec `json:"collectors"`
	// Events are WorkStatuses of one WEC, which says the one and the other in turn.
	Events     []*unstructured.Unstructured `json:"events"`
	Rounds     int                          `json:"rounds"`
	EventCount int                          `json:"eventCount"`
}

type peerOutput struct {
	Full   []time.Duration                   `json:"full"`
	Event  []time.Duration                   `json:"event"`
	Result []v1alpha1.NamedStatusCombination `json:"result"`
}

// peerResolution is what a Binding wants, without the controller that follows it.
type peerResolution struct {
	destinations sets.Set[string]
	workload     abstract.Map[util.ObjectIdentifier, binding.ObjectData]
}

func (peerResolution) GetPolicyUID() string                { return "policy-uid" }
func (r peerResolution) GetDestinations() sets.Set[string] { return r.destinations }
func (r peerResolution) GetWorkload() abstract.Map[util.ObjectIdentifier, binding.ObjectData] {
	return r.workload
}

// indexOf holds the WorkStatuses as the controller's informer does.
func indexOf(t *testing.T, workStatuses []*unstructured.Unstructured) cache.Indexer {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		workStatusIdentificationIndexKey: func(object any) ([]string, error) {
			source, err := util.GetWorkStatusSourceRef(object.(runtime.Object))
			if err != nil {
				return nil, err
			}
			namespace := object.(*unstructured.Unstructured).GetNamespace()
			return []string{util.KeyFromSourceRefAndWecName(source, namespace)}, nil
		},
	})
	for _, workStatus := range workStatuses {
		if err := indexer.Add(workStatus); err != nil {
			t.Fatal(err)
		}
	}
	return indexer
}

func TestStarfoldPeer(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("STARFOLD_PEER_INPUT"))
	if err != nil {
		t.Fatal(err)
	}
	input, output := peerInput{}, peerOutput{}
	if err := json.Unmarshal(text, &input); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	evaluator, err := newCELEvaluator()
	if err != nil {
		t.Fatal(err)
	}
	identifier := util.IdentifierForObject(input.Object, input.Resource)
	objects := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	if err := objects.Add(input.Object); err != nil {
		t.Fatal(err)
	}
	listers := util.NewConcurrentMap[schema.GroupVersionResource, cache.GenericLister]()
	listers.Set(identifier.GVR(), cache.NewGenericLister(objects, identifier.GVR().GroupResource()))

	destinations, names := sets.New[string](), sets.New[string]()
	for _, workStatus := range input.WorkStatuses {
		destinations.Insert(workStatus.GetNamespace())
	}
	for name := range input.Collectors {
		names.Insert(name)
	}
	modulation := binding.ZeroDownsyncModulation()
	modulation.StatusCollectors = names
	resolution := peerResolution{destinations, abstract.AsPrimitiveMap(map[util.ObjectIdentifier]binding.ObjectData{
		identifier: {UID: string(input.Object.GetUID()), Modulation: modulation},
	})}
	indexer := indexOf(t, input.WorkStatuses)

	var resolver CombinedStatusResolver
	var combined *v1alpha1.CombinedStatus
	for range input.Rounds {
		resolver = NewCombinedStatusResolver(evaluator, listers)
		for name, spec := range input.Collectors {
			collector := &v1alpha1.StatusCollector{Spec: spec}
			collector.Name = name
			resolver.NoteStatusCollector(ctx, collector, false, indexer)
		}
		start := time.Now()
		resolver.NoteBindingResolution(ctx, "all", resolution, false, indexer, nil)
		combined = resolver.CompareCombinedStatus("all", identifier, &v1alpha1.CombinedStatus{})
		output.Full = append(output.Full, time.Since(start))
		if combined == nil {
			t.Fatal("no CombinedStatus")
		}
	}
	output.Result = combined.Results

	for event := range input.EventCount {
		start := time.Now()
		workStatus, err := runtimeObjectToWorkStatus(input.Events[event%len(input.Events)])
		if err != nil {
			t.Fatal(err)
		}
		resolver.NoteWorkStatus(ctx, workStatus)
		changed := resolver.CompareCombinedStatus("all", identifier, combined)
		output.Event = append(output.Event, time.Since(start))
		if changed == nil {
			t.Fatal("the event changes nothing")
		}
		combined = changed
	}
	written, err := json.Marshal(output)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("STARFOLD_PEER_OUTPUT"), written, 0o600); err != nil {
		t.Fatal(err)
	}
}
