package primaldual

import (
	"fmt"
	"math"
	"testing"

	"github.com/drotrain/drotrain/dro/internal/drotest"
	"github.com/drotrain/drotrain/dro/internal/saddle"
	"github.com/drotrain/drotrain/dro/internal/side"
	"github.com/drotrain/drotrain/losses"
)

// The path of every method under the paper's schedules is frozen: 16 steps from a point
// that is not the origin, in the four cases of μ and ν, zero or not, to nine digits. These
// schedules have nothing to tune, so that a change here is a change of an equation.
func TestPathsByTheoryAreFrozen(t *testing.T) {
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Squared{}} {
		for k, p := range []saddle.Problem{
			{Dual: side.Simplex{Nu: 0.5}, Primal: side.L2{Mu: 0.1}}, {Dual: side.Simplex{Divergence: side.PearsonChi2, Nu: 0.5}, Primal: side.L2{Mu: 0.1, Intercept: true}},
			{Dual: side.Simplex{Divergence: side.PearsonChi2, Nu: 2}, Primal: side.L2{}}, {Dual: side.Simplex{Divergence: side.PearsonChi2, Alpha: 0.3}, Primal: side.L2{Mu: 0.1}}, {Dual: side.Simplex{Alpha: 0.4}, Primal: side.L2{}},
		} {
			p.Oracle = drotest.NewSample(drotest.RngOf(12), 40, 3, true).Oracle(t, loss)
			for j, m := range []saddle.Method{
				FullVector{Schedule: Theory},
				Stochastic{Block: 4, Schedule: Theory, Strategy: Historical}, Stochastic{Block: 4, Schedule: Theory, Strategy: Replacement},
				SeparableBlock{Block: 4, Schedule: Theory, Strategy: Historical}, SeparableBlock{Block: 4, Schedule: Theory, Strategy: Replacement},
				Stochastic{Block: 7, Schedule: Theory, Sampling: UniformSampling()},
			} {
				s := saddle.DefaultSettings()
				s.Seed, s.X0 = 5, []float64{1, -2, 0.5}
				l, err := saddle.NewLoop(&p, m, s)
				if err != nil {
					t.Fatal(err)
				}
				for range 16 {
					if err := l.Method.Step(); err != nil {
						t.Fatal(err)
					}
				}
				l.Method.Check()
				x := l.Method.(*iteration).template.x
				name := fmt.Sprintf("%s %d %d", loss.Name(), k, j)
				got := [3]float64{x[0] - 1, x[1] + 2, x[2] - 0.5} // how far it came
				want, ok := frozenPaths[name]
				for i := range got {
					if ok = ok && math.Abs(got[i]-want[i]) <= 1e-9*max(math.Abs(want[0]), math.Abs(want[1]), math.Abs(want[2])); !ok {
						t.Errorf("%q: {%.12g, %.12g, %.12g},", name, got[0], got[1], got[2])
						break
					}
				}
				l.Close()
			}
		}
	}
}

var frozenPaths = map[string][3]float64{
	"logistic 0 0": {-1.61306554004, 2.14976520595, 0.108916484496},
	"logistic 0 1": {-0.100369714654, 0.106462427183, 0.0258801365761},
	"logistic 0 2": {-0.0120371315435, 0.0127691859827, 0.0031027521269},
	"logistic 0 3": {-0.0549288904377, 0.0582489273325, 0.0142005385115},
	"logistic 0 4": {-0.00674065264723, 0.00715074338976, 0.00173744832218},
	"logistic 0 5": {-0.0277283782919, 0.0294145809951, 0.00714747132515},
	"logistic 1 0": {-1.06084246653, 2.03514690604, -0.473536568229},
	"logistic 1 1": {-0.0666311589449, 0.129484304824, -0.0180201137758},
	"logistic 1 2": {-0.00592619347829, 0.0115341583659, -0.00160659951522},
	"logistic 1 3": {-0.00135388484255, 0.00263487569634, -0.000366764490435},
	"logistic 1 4": {-0.00222316463638, 0.0043266771232, -0.000602234695188},
	"logistic 1 5": {-0.0132822272877, 0.0258491672917, -0.00360109354841},
	"logistic 2 0": {-0.777280196086, 1.39604356802, -0.399137132309},
	"logistic 2 1": {-0.0351274309406, 0.0678145879938, -0.0184277320822},
	"logistic 2 2": {-0.00298365017758, 0.00576655232435, -0.00156887812156},
	"logistic 2 3": {-0.000170467213933, 0.000329473066842, -8.96494903725e-05},
	"logistic 2 4": {-0.00027998420621, 0.000541142663171, -0.000147244853444},
	"logistic 2 5": {-0.00668899123835, 0.0129263137749, -0.003516348465},
	"logistic 3 0": {-1.2523810515, 2.2759050586, -0.608335022154},
	"logistic 3 1": {-0.0508791674579, 0.100273263127, -0.0368003248174},
	"logistic 3 2": {-0.00492338046619, 0.00868937365635, -0.00320975268458},
	"logistic 3 3": {-0.181170410294, 0.420093439887, -0.0788929752756},
	"logistic 3 4": {-0.0167594787241, 0.0320866030879, -0.00999897748574},
	"logistic 3 5": {-0.0116913033039, 0.020875578506, -0.00750514690763},
	"logistic 4 0": {-1.23911662973, 2.18788753457, -0.636314202429},
	"logistic 4 1": {-0.017993479217, 0.0295306668844, -0.0122703989462},
	"logistic 4 2": {-0.00164194087448, 0.00265561277002, -0.00111845174145},
	"logistic 4 3": {-0.185493149309, 0.404669101246, -0.0949663132573},
	"logistic 4 4": {-0.014928667761, 0.0259025506163, -0.00993996241459},
	"logistic 4 5": {-0.00376974473001, 0.00610846132811, -0.00256632302793},
	"squared 0 0":  {-1.503606318, 1.35450027851, 0.554404154798},
	"squared 0 1":  {-0.182414802553, 0.159238260011, 0.0712799620485},
	"squared 0 2":  {-0.0255957844705, 0.0223377777224, 0.0100064551642},
	"squared 0 3":  {-0.073093015208, 0.0639126281263, 0.0284775733988},
	"squared 0 4":  {-0.0142119376304, 0.0124033196529, 0.00555574045253},
	"squared 0 5":  {-0.0578813670314, 0.0505170883033, 0.0226256552366},
	"squared 1 0":  {-1.16319935603, 2.0395054518, -0.271327779281},
	"squared 1 1":  {-0.190732682659, 0.240180005582, 0.0265813568531},
	"squared 1 2":  {-0.0168502798739, 0.0208008545066, 0.00261533943301},
	"squared 1 3":  {-0.0137006173353, 0.0168095934447, 0.00223067786703},
	"squared 1 4":  {-0.00915386849047, 0.0112856556826, 0.0014381782713},
	"squared 1 5":  {-0.0373550927913, 0.0461161463205, 0.00579234501825},
	"squared 2 0":  {-0.942745829424, 1.80662740848, -0.370069558534},
	"squared 2 1":  {-0.116542135695, 0.212952453538, -0.0240939230166},
	"squared 2 2":  {-0.00983045682332, 0.0177924772809, -0.00196660149854},
	"squared 2 3":  {-0.00201857996307, 0.00365432292305, -0.000405142208793},
	"squared 2 4":  {-0.00331311822579, 0.00599773657137, -0.000664961034053},
	"squared 2 5":  {-0.0218352156412, 0.0394813984983, -0.00435225479689},
	"squared 3 0":  {-1.06351455292, 2.17176268391, -0.529079727737},
	"squared 3 1":  {-0.0530747256798, 0.14300935034, -0.0363645887145},
	"squared 3 2":  {-0.00518559472389, 0.0142761232215, -0.00344906010967},
	"squared 3 3":  {-0.177195987753, 0.41296778952, -0.0768581696421},
	"squared 3 4":  {-0.0202933099252, 0.0484359729081, -0.0104322228625},
	"squared 3 5":  {-0.0104162052483, 0.0284485392966, -0.00678294443123},
	"squared 4 0":  {-0.900948444548, 1.73780840327, -0.441045097352},
	"squared 4 1":  {-0.0364065847637, 0.0999097834385, -0.0236709158312},
	"squared 4 2":  {-0.0034569566001, 0.00970515679704, -0.00231315210664},
	"squared 4 3":  {-0.189256747606, 0.46208703436, -0.0921621502347},
	"squared 4 4":  {-0.0186391530218, 0.0492316423954, -0.0113589505785},
	"squared 4 5":  {-0.00657513903313, 0.0184279917765, -0.00439151973081},
}
