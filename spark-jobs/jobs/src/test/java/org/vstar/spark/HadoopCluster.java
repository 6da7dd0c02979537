package org.vstar.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * An HDFS and a YARN of this machine: Hadoop's own name node, data nodes, resource manager and node
 * managers in this process. Their containers are processes.
 */
final class HadoopCluster implements AutoCloseable {

  private static final int NODES = 2;
  private static final int NODE_MEGABYTES = 4096;
  private static final String CAPACITY = "yarn.scheduler.capacity.";

  private final MiniDFSCluster hdfs;
  private final MiniYARNCluster yarn;
  private final Path conf;

  private HadoopCluster(MiniDFSCluster hdfs, MiniYARNCluster yarn, Path conf) {
    this.hdfs = hdfs;
    this.yarn = yarn;
    this.conf = conf;
  }

  /**
   * Starts them.
   *
   * @param folder where they keep what they have
   */
  static HadoopCluster start(Path folder) throws IOException {
    Configuration settings = settings();
    settings.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    MiniDFSCluster hdfs = new MiniDFSCluster.Builder(settings).numDataNodes(NODES).build();
    hdfs.waitActive();
    settings.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, hdfs.getURI().toString());
    // Its files go to target/test/data/yarn, wherever else one wants them.
    MiniYARNCluster yarn = new MiniYARNCluster("yarn", NODES, 1, 1);
    yarn.init(settings);
    yarn.start();
    Configuration clients = new Configuration(yarn.getConfig());
    // A class of tests of Hadoop's, which the clients do not have.
    clients.unset(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY);
    Path conf = Files.createDirectories(folder.resolve("conf"));
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      try (OutputStream out = Files.newOutputStream(conf.resolve(file))) {
        clients.writeXml(out);
      }
    }
    return new HadoopCluster(hdfs, yarn, conf);
  }

  private static Configuration settings() {
    YarnConfiguration settings = new YarnConfiguration();
    settings.set(CAPACITY + "root.queues", "default");
    settings.set(CAPACITY + "root.default.capacity", "100");
    settings.set(CAPACITY + "maximum-am-resource-percent", "0.5");
    settings.setInt(YarnConfiguration.YARN_MINICLUSTER_NM_PMEM_MB, NODE_MEGABYTES);
    settings.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
    // The memory of a machine of tests is its own affair, and its disk may be nearly full.
    settings.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    settings.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
    settings.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 100f);
    return settings;
  }

  /** The folder of the cluster's configuration, {@code HADOOP_CONF_DIR}. */
  Path conf() {
    return conf;
  }

  /** A folder on its HDFS. */
  String folder(String name) {
    return hdfs.getURI() + "/" + name;
  }

  @Override
  public void close() {
    yarn.stop();
    hdfs.shutdown(true);
  }
}
