package test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/yaml"
	inferencev1 "sigs.k8s.io/gateway-api-inference-extension/api/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	strict "sigs.k8s.io/yaml"
)

const manifests = "../kubernetes"

// kinds are the types of what the manifests may hold.
var kinds = map[string]func() any{
	"Deployment":     func() any { return &appsv1.Deployment{} },
	"Service":        func() any { return &corev1.Service{} },
	"ServiceAccount": func() any { return &corev1.ServiceAccount{} },
	"ConfigMap":      func() any { return &corev1.ConfigMap{} },
	"Role":           func() any { return &rbacv1.Role{} },
	"RoleBinding":    func() any { return &rbacv1.RoleBinding{} },
	"InferencePool":  func() any { return &inferencev1.InferencePool{} },
	"Gateway":        func() any { return &gatewayv1.Gateway{} },
	"HTTPRoute":      func() any { return &gatewayv1.HTTPRoute{} },
}

// object is one of the manifests.
type object struct {
	file, kind, name string
	raw              []byte
	typed            any
}

// documents returns the YAML documents of a file.
func documents(t *testing.T, file string) (all [][]byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(b)))
	buf := make([]byte, len(b)+1)
	for {
		n, err := r.Read(buf)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.Clone(buf[:n]))
	}
}

// load reads all manifests; a field that their type does not have, or a second
// one of the same name, is an error.
func load(t *testing.T) (all []object) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(manifests, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		for _, raw := range documents(t, file) {
			var head struct {
				Kind     string
				Metadata struct{ Name string }
			}
			if err := strict.Unmarshal(raw, &head); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			make, ok := kinds[head.Kind]
			if !ok {
				t.Fatalf("%s: no type for a %q", file, head.Kind)
			}
			o := object{file, head.Kind, head.Metadata.Name, raw, make()}
			if err := strict.UnmarshalStrict(raw, o.typed); err != nil {
				t.Errorf("%s: %s: %v", file, o.kind, err)
			}
			all = append(all, o)
		}
	}
	return all
}

// find returns the object of a type and name.
func find[T any](t *testing.T, all []object, name string) (typed T) {
	t.Helper()
	for _, o := range all {
		if x, ok := o.typed.(T); ok && o.name == name {
			return x
		}
	}
	t.Fatalf("no %T is called %s", typed, name)
	return typed
}

// module returns the folder of a module.
func module(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// definitions returns the schemas of custom resources by kind, in the version
// that the manifests use.
func definitions(t *testing.T) map[string]validation.SchemaValidator {
	t.Helper()
	schemas := map[string]validation.SchemaValidator{}
	for _, dir := range []string{
		module(t, "sigs.k8s.io/gateway-api-inference-extension") + "/config/crd/bases",
		module(t, "sigs.k8s.io/gateway-api") + "/config/crd/standard",
	} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".yaml") {
				return err
			}
			for _, raw := range documents(t, file) {
				addSchema(t, schemas, raw)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

func addSchema(t *testing.T, schemas map[string]validation.SchemaValidator, raw []byte) {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	if err := strict.Unmarshal(raw, &crd); err != nil {
		t.Fatal(err)
	}
	for _, v := range crd.Spec.Versions {
		var props apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&props)
		if err != nil {
			t.Fatal(err)
		}
		schemas[crd.Spec.Group+"/"+v.Name+" "+crd.Spec.Names.Kind] = validator
	}
}

func TestManifestsFitTheSchemas(t *testing.T) {
	schemas := definitions(t)
	checked := 0
	for _, o := range load(t) {
		var value map[string]any
		if err := strict.Unmarshal(o.raw, &value); err != nil {
			t.Fatal(err)
		}
		schema, ok := schemas[value["apiVersion"].(string)+" "+o.kind]
		if !ok {
			continue // Kubernetes' own: its types were strict enough
		}
		checked++
		for _, err := range validation.ValidateCustomResource(nil, value, schema) {
			t.Errorf("%s: %s %s: %v", o.file, o.kind, o.name, err)
		}
	}
	if checked != 3 {
		t.Errorf("%d custom resources were checked, want the pool, the gateway and the route", checked)
	}
}

func TestManifestsFitTogether(t *testing.T) {
	all := load(t)
	deployment := find[*appsv1.Deployment](t, all, "minillm")
	service := find[*corev1.Service](t, all, "minillm")
	pool := find[*inferencev1.InferencePool](t, all, "minillm")
	route := find[*gatewayv1.HTTPRoute](t, all, "minillm")
	gateway := find[*gatewayv1.Gateway](t, all, "inference-gateway")
	pod, server := deployment.Spec.Template, deployment.Spec.Template.Spec.Containers[0]

	selects := func(what string, labels map[string]string) {
		for k, v := range labels {
			if pod.Labels[k] != v {
				t.Errorf("%s selects %s=%s, which the servers are not", what, k, v)
			}
		}
	}
	selects("the deployment", deployment.Spec.Selector.MatchLabels)
	selects("the service", service.Spec.Selector)
	for k, v := range pool.Spec.Selector.MatchLabels {
		selects("the pool", map[string]string{string(k): string(v)})
	}
	if port := server.Ports[0]; int32(pool.Spec.TargetPorts[0].Number) != port.ContainerPort || service.Spec.Ports[0].TargetPort.String() != port.Name {
		t.Errorf("the server listens on %d, %s", port.ContainerPort, port.Name)
	}
	pickerService := find[*corev1.Service](t, all, string(pool.Spec.EndpointPickerRef.Name))
	if pickerService.Spec.Ports[0].Port != int32(pool.Spec.EndpointPickerRef.Port.Number) {
		t.Error("the pool asks the picker at another port than it has")
	}
	if ref := route.Spec.Rules[0].BackendRefs[0]; *ref.Kind != "InferencePool" || string(ref.Name) != pool.Name {
		t.Errorf("the route goes to %s", ref.Name)
	}
	if string(route.Spec.ParentRefs[0].Name) != gateway.Name {
		t.Errorf("the route is of gateway %s", route.Spec.ParentRefs[0].Name)
	}
}

// A server has the time to finish what runs before it is killed, and longer
// patience with one that drains than draining takes.
func TestDrainFits(t *testing.T) {
	pod := find[*appsv1.Deployment](t, load(t), "minillm").Spec.Template.Spec
	server := pod.Containers[0]
	var drain time.Duration
	for _, arg := range server.Args {
		if d, ok := strings.CutPrefix(arg, "--drain="); ok {
			var err error
			if drain, err = time.ParseDuration(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := time.Duration(server.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	if drain == 0 || grace < before+drain+5*time.Second {
		t.Errorf("%v of grace for %v of preStop and %v of drain", grace, before, drain)
	}
	probe := server.LivenessProbe
	if patience := time.Duration(probe.PeriodSeconds*probe.FailureThreshold) * time.Second; patience <= drain {
		t.Errorf("the liveness probe ends a server after %v, which drains for %v", patience, drain)
	}
}

func TestPodIsLockedDown(t *testing.T) {
	pod := find[*appsv1.Deployment](t, load(t), "minillm").Spec.Template.Spec
	c := pod.Containers[0].SecurityContext
	if !*pod.SecurityContext.RunAsNonRoot || *c.AllowPrivilegeEscalation || !*c.ReadOnlyRootFilesystem || !slices.Contains(c.Capabilities.Drop, "ALL") || *pod.AutomountServiceAccountToken {
		t.Error("the container may do more than it needs")
	}
}

// What the container is started with, the command knows, and its probes are what
// it answers: the command runs with the manifest's flags.
func TestCommandRuns(t *testing.T) {
	server := find[*appsv1.Deployment](t, load(t), "minillm").Spec.Template.Spec.Containers[0]
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "minillm"), filepath.Join(dir, "model.gguf")
	build := exec.Command("go", "build", "-o", binary, "./cmd/minillm")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeTiny(t, file)
	args := slices.Clone(server.Args)
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "--model="):
			args[i] = "--model=" + file
		case strings.HasPrefix(arg, "--addr="):
			args[i] = "--addr=127.0.0.1:0"
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	url := listening(t, cmd)
	for _, probe := range []*corev1.Probe{server.StartupProbe, server.ReadinessProbe, server.LivenessProbe} {
		expect(t, url+probe.HTTPGet.Path, 200)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
