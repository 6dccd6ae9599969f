// Follows resources as a controller does: with client-go's dynamic informers, over all namespaces.
//
//	informer KUBECONFIG GROUP/VERSION RESOURCE...   what its informers hold, for each line on standard input
//	informer --version                              the version of client-go
//
// For each line on standard input, one line of JSON goes to standard output: by resource, whether the informer has synced,
// its objects by NAMESPACE/NAME, how many events its handler got, and how often its list or watch has failed. It ends with
// its standard input.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const module = "k8s.io/client-go"

// said is what one informer holds.
type said struct {
	HasSynced bool                      `json:"hasSynced"`
	Objects   map[string]map[string]any `json:"objects"`
	Added     int64                     `json:"added"`
	Updated   int64                     `json:"updated"`
	Deleted   int64                     `json:"deleted"`
	Failures  int64                     `json:"failures"`
}

// follower is an informer and what has happened to it.
type follower struct {
	informer                          cache.SharedIndexInformer
	added, updated, deleted, failures atomic.Int64
}

func follow(client dynamic.Interface, resource schema.GroupVersionResource) (*follower, error) {
	informer := dynamicinformer.NewFilteredDynamicInformer(client, resource, "", 0, cache.Indexers{}, nil).Informer()
	f := &follower{informer: informer}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { f.added.Add(1) },
		UpdateFunc: func(any, any) { f.updated.Add(1) },
		DeleteFunc: func(any) { f.deleted.Add(1) },
	})
	return f, errors.Join(err, informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		f.failures.Add(1)
		fmt.Fprintf(os.Stderr, "informer of %s: %v\n", resource.Resource, err)
	}))
}

func (f *follower) say() said {
	objects := map[string]map[string]any{}
	for _, key := range f.informer.GetStore().ListKeys() {
		// What was deleted in the meantime is left out.
		if object, exists, err := f.informer.GetStore().GetByKey(key); err == nil && exists {
			objects[key] = object.(*unstructured.Unstructured).Object
		}
	}
	return said{
		HasSynced: f.informer.HasSynced(),
		Objects:   objects,
		Added:     f.added.Load(),
		Updated:   f.updated.Load(),
		Deleted:   f.deleted.Load(),
		Failures:  f.failures.Load(),
	}
}

func run(kubeconfig, groupVersion string, resources []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	of, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		return err
	}
	followers := map[string]*follower{}
	stop := make(chan struct{})
	defer close(stop)
	for _, resource := range resources {
		f, err := follow(client, of.WithResource(resource))
		if err != nil {
			return err
		}
		followers[resource] = f
		go f.informer.Run(stop)
	}
	answers := json.NewEncoder(os.Stdout)
	questions := bufio.NewScanner(os.Stdin)
	for questions.Scan() {
		all := map[string]said{}
		for resource, f := range followers {
			all[resource] = f.say()
		}
		if err := answers.Encode(all); err != nil {
			return err
		}
	}
	return questions.Err()
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(version())
		return
	}
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: informer KUBECONFIG GROUP/VERSION RESOURCE...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		os.Exit(1)
	}
}
