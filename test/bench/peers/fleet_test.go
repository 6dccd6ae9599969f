// Times how Rancher Fleet computes the status of a Bundle and of a GitRepo, with the functions that its controllers call.
// test/bench/peers.bench.ts lays this file beside a package of Fleet while it is compiled, because they are internal.
package resourcestatus_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/rancher/fleet/internal/cmd/controller/status"
	"github.com/rancher/fleet/internal/cmd/controller/summary"
	"github.com/rancher/fleet/internal/cmd/controller/target"
	"github.com/rancher/fleet/internal/resourcestatus"
	fleet "github.com/rancher/fleet/pkg/apis/fleet.cattle.io/v1alpha1"
)

type peerInput struct {
	Bundle *fleet.Bundle `json:"bundle"`
	// OfBundle and OfRepo are the BundleDeployments of the Bundle and of a GitRepo.
	OfBundle []fleet.BundleDeployment `json:"ofBundle"`
	OfRepo   []fleet.BundleDeployment `json:"ofRepo"`
	Rounds   int                      `json:"rounds"`
}

type peerOutput struct {
	Bundle   []time.Duration `json:"bundle"`
	Repo     []time.Duration `json:"repo"`
	Statuses struct {
		Bundle fleet.BundleStatus  `json:"bundle"`
		Repo   fleet.GitRepoStatus `json:"repo"`
	} `json:"statuses"`
}

// targetsOf is what Fleet's builder makes of a Bundle before the status is computed.
func targetsOf(bundle *fleet.Bundle, deployments []fleet.BundleDeployment) []*target.Target {
	var targets []*target.Target
	for index := range deployments {
		deployment := &deployments[index]
		cluster := &fleet.Cluster{}
		cluster.Namespace = deployment.Labels[fleet.ClusterNamespaceLabel]
		cluster.Name = deployment.Labels[fleet.ClusterLabel]
		targets = append(targets, &target.Target{
			Deployment: deployment, Cluster: cluster, Bundle: bundle, DeploymentID: deployment.Spec.DeploymentID,
		})
	}
	return targets
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
	targets := targetsOf(input.Bundle, input.OfBundle)
	for range input.Rounds {
		start := time.Now()
		ofBundle := fleet.BundleStatus{}
		ofBundle.Summary = target.Summary(targets)
		ofBundle.Unavailable = target.Unavailable(targets)
		summary.SetReadyConditions(&ofBundle, "Cluster", ofBundle.Summary)
		output.Bundle = append(output.Bundle, time.Since(start))

		list := &fleet.BundleDeploymentList{Items: append([]fleet.BundleDeployment(nil), input.OfRepo...)}
		start = time.Now()
		ofRepo := fleet.GitRepoStatus{}
		if err := status.SetFields(list, &ofRepo.StatusBase); err != nil {
			t.Fatal(err)
		}
		resourcestatus.SetResources(list.Items, &ofRepo.StatusBase)
		summary.SetReadyConditions(&ofRepo, "Bundle", ofRepo.Summary)
		output.Repo = append(output.Repo, time.Since(start))
		output.Statuses.Bundle, output.Statuses.Repo = ofBundle, ofRepo
	}
	written, err := json.Marshal(output)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("STARFOLD_PEER_OUTPUT"), written, 0o600); err != nil {
		t.Fatal(err)
	}
}
