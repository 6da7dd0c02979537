/** How fast the kernels and the model are on this machine. */
package org.vstar.model.bench;
