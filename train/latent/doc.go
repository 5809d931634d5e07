// Package latent finds a hidden subgroup: rows that follow another linear law than the
// others, though no column says which they are. It fits a mixture of two linear models by
// expectation maximisation, normal errors for numbers, logistic for two classes, and says
// of every row how likely it follows the second. That is an estimate, not a certificate;
// whether there is such a subgroup at all is for package tune to judge, on rows not
// fitted. It may import design alone. Start reading at Fit.
package latent
